import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import org.bouncycastle.asn1.ASN1Encoding;
import org.bouncycastle.asn1.cms.ContentInfo;
import org.bouncycastle.asn1.nist.NISTObjectIdentifiers;
import org.bouncycastle.asn1.tsp.ArchiveTimeStamp;
import org.bouncycastle.asn1.tsp.ArchiveTimeStampChain;
import org.bouncycastle.asn1.tsp.EvidenceRecord;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.tsp.ers.ERSEvidenceRecord;

/**
 * Makes records whose beginning is wrong, and which are renewed all the same. The newest token and
 * all links hold, so that only a verifier refuses them that looks at every token and every chain.
 */
final class Spoil {
    private final Make make;
    private final Authority authority = new Authority("EC");

    Spoil(Path folder) throws Exception {
        make = new Make(folder);
    }

    void all() throws Exception {
        EvidenceRecord of1 = record(1, authority);
        make.use(authority);
        make.write("right", 1, make.renewed(read(of1)));
        make.write("right-rehashed", 1, rehashed(of1, 1));
        make.write("first-signature", 1, make.renewed(read(new EvidenceRecord(null, null, forged(of1)))));
        make.write("first-authority", 1, make.renewed(read(record(1, new Authority("EC")))));
        make.write("first-chain", 1, rehashed(record(2, authority), 1));
    }

    /** record returns a record of a file, whose imprint is its digest under SHA-256. */
    private static EvidenceRecord record(int number, Authority by) throws Exception {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(Make.file(number));
        return new EvidenceRecord(null, null, stamp(by, "SHA-256", digest));
    }

    private static ERSEvidenceRecord read(EvidenceRecord record) throws Exception {
        return new ERSEvidenceRecord(record, Authority.DIGESTS);
    }

    private static ArchiveTimeStamp stamp(Authority by, String hash, byte[] imprint) throws Exception {
        AlgorithmIdentifier id = new AlgorithmIdentifier(
                hash.equals("SHA-256") ? NISTObjectIdentifiers.id_sha256 : NISTObjectIdentifiers.id_sha512);
        return new ArchiveTimeStamp(by.answer(Make.requests().generate(id, imprint)).getTimeStampToken()
                .toCMSSignedData().toASN1Structure());
    }

    /** forged returns the time-stamp of a record with one bit of its signature changed. */
    private static ArchiveTimeStamp forged(EvidenceRecord record) throws Exception {
        ArchiveTimeStampChain chain = record.getArchiveTimeStampSequence().getArchiveTimeStampChains()[0];
        byte[] token = chain.getArchiveTimestamps()[0].getTimeStamp().getEncoded(ASN1Encoding.DER);
        token[token.length - 1] ^= 1;
        return new ArchiveTimeStamp(ContentInfo.getInstance(token));
    }

    /** rehashed adds a chain under SHA-512 that is about a file. */
    private ERSEvidenceRecord rehashed(EvidenceRecord record, int number) throws Exception {
        MessageDigest sha512 = MessageDigest.getInstance("SHA-512");
        byte[] data = sha512.digest(Make.file(number));
        byte[] before = sha512.digest(record.getArchiveTimeStampSequence().getEncoded(ASN1Encoding.DER));
        byte[] both = Arrays.copyOf(data, data.length + before.length);
        System.arraycopy(before, 0, both, data.length, before.length);
        return read(record.addArchiveTimeStamp(stamp(authority, "SHA-512", sha512.digest(both)), true));
    }
}
