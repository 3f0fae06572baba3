// Ed25519 exactly as SPEC 1.8 has it. OpenSSL checks the equation without cofactor and compares R as octets; what it leaves
// open (is the key a canonical encoding, of which order is its point, is S reduced) is checked here.

import { createPublicKey, verify } from 'node:crypto';

const P = 2n ** 255n - 19n;
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const D = mod(-121665n * power(121666n, P - 2n));
const ROOT_OF_MINUS_ONE = power(2n, (P - 1n) / 4n);

function mod(a) {
  const rest = a % P;
  return rest < 0n ? rest + P : rest;
}

function power(base, exponent) {
  let result = 1n;
  for (let square = base, e = exponent; e > 0n; e >>= 1n, square = mod(square * square)) {
    if (e & 1n) result = mod(result * square);
  }
  return result;
}

function littleEndian(octets) {
  return BigInt(`0x${Buffer.from(octets).reverse().toString('hex')}`);
}

// decode is RFC 8032, 5.1.3; it returns the point [x, y], or undefined for what is not a canonical encoding of one.
function decode(octets) {
  const number = littleEndian(octets);
  const sign = number >> 255n;
  const y = number & (2n ** 255n - 1n);
  if (y >= P) return undefined;
  const square = mod((y * y - 1n) * power(mod(D * y * y + 1n), P - 2n));
  let x = power(square, (P + 3n) / 8n);
  if (mod(x * x) !== square) x = mod(x * ROOT_OF_MINUS_ONE);
  if (mod(x * x) !== square || (x === 0n && sign === 1n)) return undefined;
  return [(x & 1n) === sign ? x : P - x, y];
}

// double doubles the point (x/z, y/z). Without a division it costs less.
function double([x, y, z]) {
  const [xx, yy, zz] = [mod(x * x), mod(y * y), mod(z * z)];
  const [sum, rest] = [mod(yy - xx), mod(2n * zz - yy + xx)];
  return [mod(2n * x * y * rest), mod((xx + yy) * sum), mod(sum * rest)];
}

/** isGoodKey tells whether 32 octets are a public key of SPEC 1.8: canonical, and not of small order. */
export function isGoodKey(octets) {
  const point = octets.length === 32 ? decode(octets) : undefined;
  if (point === undefined) return false;
  const [x, y, z] = double(double(double([...point, 1n])));
  return !(x === 0n && y === z);
}

/** holds tells whether the signature of 64 octets holds for the message under a key that isGoodKey. */
export function holds(key, message, signature) {
  if (signature.length !== 64 || littleEndian(signature.subarray(32)) >= L) return false;
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(key).toString('base64url') };
  return verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature);
}
