import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.bouncycastle.asn1.ASN1Encodable;
import org.bouncycastle.asn1.ASN1Encoding;
import org.bouncycastle.asn1.ASN1ObjectIdentifier;
import org.bouncycastle.asn1.nist.NISTObjectIdentifiers;
import org.bouncycastle.asn1.tsp.ArchiveTimeStamp;
import org.bouncycastle.asn1.tsp.ArchiveTimeStampChain;
import org.bouncycastle.asn1.tsp.ArchiveTimeStampSequence;
import org.bouncycastle.asn1.tsp.EvidenceRecord;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.operator.DigestCalculator;
import org.bouncycastle.tsp.TimeStampRequestGenerator;
import org.bouncycastle.tsp.TimeStampResponse;
import org.bouncycastle.tsp.ers.ERSArchiveTimeStampGenerator;
import org.bouncycastle.tsp.ers.ERSByteData;
import org.bouncycastle.tsp.ers.ERSData;
import org.bouncycastle.tsp.ers.ERSDataGroup;
import org.bouncycastle.tsp.ers.ERSEvidenceRecord;
import org.bouncycastle.tsp.ers.ERSEvidenceRecordGenerator;

/**
 * Makes records by Bouncy Castle's own interface, in folders by their kind. FILE.er is the record of
 * FILE, and authority.cer the certificate to pin.
 */
final class Make {
    private static final ASN1ObjectIdentifier SHA256 = NISTObjectIdentifiers.id_sha256;
    private static final ASN1ObjectIdentifier SHA512 = NISTObjectIdentifiers.id_sha512;

    private final Path folder;
    private Authority authority;

    Make(Path folder) {
        this.folder = folder;
    }

    /** use sets the authority of what is made from now on. */
    void use(Authority other) {
        authority = other;
    }

    void all() throws Exception {
        authority = new Authority("EC");
        one("one-sha256", SHA256);
        one("one-sha512", SHA512);
        ERSEvidenceRecord record = first(SHA512, 1).get(0);
        record = renewed(record);
        write("renewed", 1, record);
        write("renewed-twice", 1, renewed(record));
        record = rehashed(renewed(first(SHA256, 1).get(0)), 1);
        write("rehashed", 1, record);
        write("rehashed-renewed", 1, renewed(record));
        revocation("with-crl", authority::crl);
        revocation("with-ocsp", authority::ocsp);

        authority = new Authority("RSA");
        one("one-rsa", SHA256);
        several("several-sha256", SHA256);
        several("several-sha512", SHA512);
        write("several-renewed", 4, renewed(first(SHA256, 5).get(3)));
        write("several-rehashed", 4, rehashed(first(SHA256, 5).get(3), 4));
        group("group");
    }

    /** file returns the text of a file, and files that of the first ones. */
    static byte[] file(int number) {
        return ("file " + number + " of an archive\n").getBytes(StandardCharsets.UTF_8);
    }

    private static List<ERSData> files(int count) {
        List<ERSData> all = new ArrayList<>();
        for (int n = 1; n <= count; n++) {
            all.add(new ERSByteData(file(n)));
        }
        return all;
    }

    private static DigestCalculator digests(ASN1ObjectIdentifier hash) throws Exception {
        return Authority.DIGESTS.get(new AlgorithmIdentifier(hash));
    }

    static TimeStampRequestGenerator requests() {
        TimeStampRequestGenerator requests = new TimeStampRequestGenerator();
        requests.setCertReq(true);
        return requests;
    }

    /** first returns a record for each of the first files, all of one token. */
    private List<ERSEvidenceRecord> first(ASN1ObjectIdentifier hash, int count) throws Exception {
        return first(hash, files(count));
    }

    private List<ERSEvidenceRecord> first(ASN1ObjectIdentifier hash, List<ERSData> data) throws Exception {
        ERSArchiveTimeStampGenerator stamps = new ERSArchiveTimeStampGenerator(digests(hash));
        stamps.addAllData(data);
        TimeStampResponse answer = authority.answer(stamps.generateTimeStampRequest(requests()));
        return new ERSEvidenceRecordGenerator(Authority.DIGESTS).generate(stamps.generateArchiveTimeStamps(answer));
    }

    ERSEvidenceRecord renewed(ERSEvidenceRecord record) throws Exception {
        return record.renewTimeStamp(authority.answer(record.generateTimeStampRenewalRequest(requests())));
    }

    /** rehashed renews the record of a file under SHA-512. */
    private ERSEvidenceRecord rehashed(ERSEvidenceRecord record, int number) throws Exception {
        ERSData data = new ERSByteData(file(number));
        return record.renewHash(digests(SHA512), data,
                authority.answer(record.generateHashRenewalRequest(digests(SHA512), data, requests())));
    }

    private void one(String name, ASN1ObjectIdentifier hash) throws Exception {
        write(name, 1, first(hash, 1).get(0));
    }

    /** several writes a record for each of five files, which leaves one without a partner. */
    private void several(String name, ASN1ObjectIdentifier hash) throws Exception {
        List<ERSEvidenceRecord> records = first(hash, 5);
        for (int n = 1; n <= 5; n++) {
            write(name, n, records.get(n - 1));
        }
    }

    /** group writes the record of a group of three files, among others, once for each of them. */
    private void group(String name) throws Exception {
        List<ERSData> data = new ArrayList<>(files(5).subList(3, 5));
        data.add(new ERSDataGroup(files(3)));
        ERSEvidenceRecord record = first(SHA512, data).get(2);
        for (int n = 1; n <= 3; n++) {
            write(name, n, record);
        }
    }

    /** Revocation makes revocation data of now. */
    private interface Revocation {
        ASN1Encodable made() throws Exception;
    }

    /** revocation writes a renewed record, both of whose tokens have revocation data. */
    private void revocation(String name, Revocation data) throws Exception {
        ERSEvidenceRecord record = completed(first(SHA256, 1).get(0), data.made());
        write(name, 1, completed(renewed(record), data.made()));
    }

    /** completed puts revocation data into the newest token of a record of one chain. */
    private ERSEvidenceRecord completed(ERSEvidenceRecord record, ASN1Encodable revocation) throws Exception {
        EvidenceRecord before = record.toASN1Structure();
        ArchiveTimeStamp[] stamps =
                before.getArchiveTimeStampSequence().getArchiveTimeStampChains()[0].getArchiveTimestamps();
        ArchiveTimeStamp last = stamps[stamps.length - 1];
        stamps[stamps.length - 1] = new ArchiveTimeStamp(last.getDigestAlgorithm(), last.getReducedHashTree(),
                authority.completed(last.getTimeStamp(), revocation));
        return new ERSEvidenceRecord(new EvidenceRecord(before.getDigestAlgorithms(), null, null,
                new ArchiveTimeStampSequence(new ArchiveTimeStampChain(stamps))), Authority.DIGESTS);
    }

    void write(String name, int number, ERSEvidenceRecord record) throws IOException {
        Path to = Files.createDirectories(folder.resolve(name));
        Files.write(to.resolve("authority.cer"), authority.root.getEncoded());
        Files.write(to.resolve("file-" + number), file(number));
        Files.write(to.resolve("file-" + number + ".er"), record.toASN1Structure().getEncoded(ASN1Encoding.DER));
    }
}
