import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import java.util.List;
import java.util.Set;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1EncodableVector;
import org.bouncycastle.asn1.ASN1Encoding;
import org.bouncycastle.asn1.ASN1Integer;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.ASN1Primitive;
import org.bouncycastle.asn1.DERSequence;
import org.bouncycastle.asn1.DERSet;
import org.bouncycastle.asn1.DERTaggedObject;
import org.bouncycastle.asn1.cms.CMSObjectIdentifiers;
import org.bouncycastle.asn1.cms.ContentInfo;
import org.bouncycastle.asn1.cms.OtherRevocationInfoFormat;
import org.bouncycastle.asn1.cms.SignedData;
import org.bouncycastle.asn1.nist.NISTObjectIdentifiers;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.CRLNumber;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.X509v2CRLBuilder;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509ExtensionUtils;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.cert.ocsp.BasicOCSPRespBuilder;
import org.bouncycastle.cert.ocsp.CertificateID;
import org.bouncycastle.cert.ocsp.CertificateStatus;
import org.bouncycastle.cert.ocsp.OCSPRespBuilder;
import org.bouncycastle.cert.ocsp.jcajce.JcaBasicOCSPRespBuilder;
import org.bouncycastle.cms.jcajce.JcaSimpleSignerInfoGeneratorBuilder;
import org.bouncycastle.operator.ContentSigner;
import org.bouncycastle.operator.DigestCalculator;
import org.bouncycastle.operator.DigestCalculatorProvider;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;
import org.bouncycastle.tsp.TSPAlgorithms;
import org.bouncycastle.tsp.TimeStampRequest;
import org.bouncycastle.tsp.TimeStampResponse;
import org.bouncycastle.tsp.TimeStampResponseGenerator;
import org.bouncycastle.tsp.TimeStampTokenGenerator;
import org.bouncycastle.util.CollectionStore;

/** A time-stamping authority of Bouncy Castle: a root, and a signer below it. */
final class Authority {
    static final DigestCalculatorProvider DIGESTS = digests();

    /** The clock of the authority. It goes on by a day with every token. */
    private Instant clock = Instant.now().truncatedTo(ChronoUnit.DAYS).minus(20, ChronoUnit.DAYS);

    private final KeyPair rootKey;
    private final KeyPair key;
    private final String algorithm;
    final X509CertificateHolder root;
    private final X509CertificateHolder signer;
    private long serial = 1;

    /** The kind of the keys is EC, on P-256, or RSA, of 2048 bits. */
    Authority(String kind) throws Exception {
        KeyPairGenerator keys = KeyPairGenerator.getInstance(kind);
        if (kind.equals("EC")) {
            keys.initialize(new ECGenParameterSpec("secp256r1"));
        } else {
            keys.initialize(2048);
        }
        algorithm = kind.equals("EC") ? "SHA256withECDSA" : "SHA256withRSA";
        rootKey = keys.generateKeyPair();
        key = keys.generateKeyPair();
        root = certificate("CN=Root " + kind, rootKey.getPublic(), true);
        signer = certificate("CN=Stamper " + kind, key.getPublic(), false);
    }

    private static DigestCalculatorProvider digests() {
        try {
            return new JcaDigestCalculatorProviderBuilder().setProvider("BC").build();
        } catch (org.bouncycastle.operator.OperatorCreationException e) {
            throw new IllegalStateException(e);
        }
    }

    private ContentSigner byRoot() throws Exception {
        return new JcaContentSignerBuilder(algorithm).build(rootKey.getPrivate());
    }

    private X509CertificateHolder certificate(String name, PublicKey of, boolean authority) throws Exception {
        X500Name issuer = authority ? new X500Name(name) : root.getSubject();
        X509v3CertificateBuilder b = new JcaX509v3CertificateBuilder(issuer, BigInteger.valueOf(serial++),
                Date.from(clock.minus(365, ChronoUnit.DAYS)), Date.from(Instant.parse("2099-12-31T23:59:59Z")),
                new X500Name(name), of);
        b.addExtension(Extension.basicConstraints, true, new BasicConstraints(authority));
        b.addExtension(Extension.keyUsage, true, new KeyUsage(
                authority ? KeyUsage.keyCertSign | KeyUsage.cRLSign : KeyUsage.digitalSignature));
        if (!authority) {
            b.addExtension(Extension.extendedKeyUsage, true, new ExtendedKeyUsage(KeyPurposeId.id_kp_timeStamping));
        }
        JcaX509ExtensionUtils identifiers = new JcaX509ExtensionUtils();
        b.addExtension(Extension.subjectKeyIdentifier, false, identifiers.createSubjectKeyIdentifier(of));
        b.addExtension(Extension.authorityKeyIdentifier, false,
                identifiers.createAuthorityKeyIdentifier(rootKey.getPublic()));
        return b.build(byRoot());
    }

    /** answer answers a request with a token in DER. */
    TimeStampResponse answer(TimeStampRequest request) throws Exception {
        clock = clock.plus(1, ChronoUnit.DAYS);
        TimeStampTokenGenerator tokens = new TimeStampTokenGenerator(
                new JcaSimpleSignerInfoGeneratorBuilder().build(algorithm, key.getPrivate(),
                        new JcaX509CertificateConverter().getCertificate(signer)),
                DIGESTS.get(new AlgorithmIdentifier(NISTObjectIdentifiers.id_sha256)), // signing-certificate v2
                new ASN1ObjectIdentifier("1.3.6.1.4.1.99999.2"));
        tokens.addCertificates(new CollectionStore<>(List.of(signer)));
        TimeStampResponse answer = new TimeStampResponseGenerator(tokens, TSPAlgorithms.ALLOWED, Set.of())
                .generate(request, BigInteger.valueOf(serial++), Date.from(clock));
        return new TimeStampResponse(
                ASN1Primitive.fromByteArray(answer.getEncoded()).getEncoded(ASN1Encoding.DER));
    }

    /** crl returns a CRL of an hour after the last token. */
    ASN1Encodable crl() throws Exception {
        Instant now = clock.plus(1, ChronoUnit.HOURS);
        X509v2CRLBuilder b = new X509v2CRLBuilder(root.getSubject(), Date.from(now));
        b.setNextUpdate(Date.from(now.plus(30, ChronoUnit.DAYS)));
        b.addExtension(Extension.cRLNumber, false, new CRLNumber(BigInteger.valueOf(serial++)));
        b.addExtension(Extension.authorityKeyIdentifier, false,
                new JcaX509ExtensionUtils().createAuthorityKeyIdentifier(rootKey.getPublic()));
        return b.build(byRoot()).toASN1Structure();
    }

    /** ocsp returns an OCSP answer about the signer, of an hour after the last token, as RFC 5940 has it. */
    ASN1Encodable ocsp() throws Exception {
        Date now = Date.from(clock.plus(1, ChronoUnit.HOURS));
        DigestCalculator sha1 = DIGESTS.get(CertificateID.HASH_SHA1);
        BasicOCSPRespBuilder b = new JcaBasicOCSPRespBuilder(rootKey.getPublic(), sha1);
        b.addResponse(new CertificateID(sha1, root, signer.getSerialNumber()), CertificateStatus.GOOD, now,
                Date.from(clock.plus(30, ChronoUnit.DAYS)), null);
        byte[] answer = new OCSPRespBuilder().build(OCSPRespBuilder.SUCCESSFUL, b.build(byRoot(), null, now))
                .getEncoded();
        return new DERTaggedObject(false, 1, new OtherRevocationInfoFormat(
                CMSObjectIdentifiers.id_ri_ocsp_response, ASN1Primitive.fromByteArray(answer)));
    }

    /** completed puts the root and revocation data into the unsigned parts of a token. */
    ContentInfo completed(ContentInfo token, ASN1Encodable... revocation) throws Exception {
        SignedData before = SignedData.getInstance(token.getContent());
        ASN1EncodableVector certificates = new ASN1EncodableVector();
        before.getCertificates().forEach(certificates::add);
        certificates.add(root.toASN1Structure());
        boolean other = false;
        for (ASN1Encodable r : revocation) {
            other |= r instanceof DERTaggedObject;
        }
        ASN1EncodableVector v = new ASN1EncodableVector();
        v.add(new ASN1Integer(other ? 5 : 3));
        v.add(before.getDigestAlgorithms());
        v.add(before.getEncapContentInfo());
        v.add(new DERTaggedObject(false, 0, new DERSet(certificates)));
        v.add(new DERTaggedObject(false, 1, new DERSet(revocation)));
        v.add(before.getSignerInfos());
        byte[] der = new ContentInfo(CMSObjectIdentifiers.signedData, new DERSequence(v))
                .getEncoded(ASN1Encoding.DER);
        return ContentInfo.getInstance(der);
    }
}
