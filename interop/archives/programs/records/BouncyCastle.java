import java.security.cert.CertPathBuilder;
import java.security.cert.CertStore;
import java.security.cert.CollectionCertStoreParameters;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Set;
import org.bouncycastle.asn1.cms.ContentInfo;
import org.bouncycastle.asn1.tsp.ArchiveTimeStamp;
import org.bouncycastle.asn1.tsp.ArchiveTimeStampChain;
import org.bouncycastle.asn1.tsp.ArchiveTimeStampSequence;
import org.bouncycastle.asn1.tsp.EvidenceRecord;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cms.jcajce.JcaSimpleSignerInfoVerifierBuilder;
import org.bouncycastle.operator.DigestCalculatorProvider;
import org.bouncycastle.operator.jcajce.JcaDigestCalculatorProviderBuilder;
import org.bouncycastle.tsp.TimeStampToken;
import org.bouncycastle.tsp.ers.ERSByteData;
import org.bouncycastle.tsp.ers.ERSEvidenceRecord;

/**
 * Bouncy Castle as a verifier. Of a record, it looks for the object in the newest chain, verifies
 * the renewals of each chain, and the signature of the newest token. So it is given every beginning
 * of the record that is a record too: then the object is found in every chain, and every token is
 * verified.
 */
final class BouncyCastle implements Records.Verifier {
    @Override
    public String verify(byte[] record, byte[] data, byte[] certificate) throws Exception {
        EvidenceRecord whole = EvidenceRecord.getInstance(record);
        X509Certificate pinned = converted(new X509CertificateHolder(certificate));
        List<ArchiveTimeStampChain> before = new ArrayList<>();
        for (ArchiveTimeStampChain chain : whole.getArchiveTimeStampSequence().getArchiveTimeStampChains()) {
            ArchiveTimeStamp[] stamps = chain.getArchiveTimestamps();
            for (int n = 1; n <= stamps.length; n++) {
                List<ArchiveTimeStampChain> chains = new ArrayList<>(before);
                chains.add(new ArchiveTimeStampChain(Arrays.copyOf(stamps, n)));
                verifyOne(new EvidenceRecord(whole.getDigestAlgorithms(), null, null,
                        new ArchiveTimeStampSequence(chains.toArray(new ArchiveTimeStampChain[0]))),
                        stamps[n - 1].getTimeStamp(), data, pinned);
            }
            before.add(chain);
        }
        return "";
    }

    /** verifyOne verifies a record whose newest token is given too. */
    private static void verifyOne(EvidenceRecord record, ContentInfo newest, byte[] data, X509Certificate pinned)
            throws Exception {
        DigestCalculatorProvider digests = new JcaDigestCalculatorProviderBuilder().setProvider("BC").build();
        ERSEvidenceRecord ers = new ERSEvidenceRecord(record, digests); // verifies the renewals
        ers.validatePresent(new ERSByteData(data), new Date());
        X509Certificate signer = signer(new TimeStampToken(newest), pinned);
        ers.validate(new JcaSimpleSignerInfoVerifierBuilder().setProvider("BC").build(signer));
    }

    /**
     * signer returns the certificate of a token's signer. A way leads from it to the pinned one at
     * the time of the token, over certificates in the token.
     */
    private static X509Certificate signer(TimeStampToken token, X509Certificate pinned) throws Exception {
        List<X509Certificate> candidates = new ArrayList<>();
        for (Object holder : token.getCertificates().getMatches(null)) {
            candidates.add(converted((X509CertificateHolder) holder));
        }
        candidates.add(pinned);
        for (X509Certificate candidate : candidates) {
            if (!token.getSID().match(new X509CertificateHolder(candidate.getEncoded()))) {
                continue;
            }
            if (!candidate.equals(pinned)) {
                X509CertSelector target = new X509CertSelector();
                target.setCertificate(candidate);
                PKIXBuilderParameters way = new PKIXBuilderParameters(Set.of(new TrustAnchor(pinned, null)), target);
                way.addCertStore(CertStore.getInstance("Collection", new CollectionCertStoreParameters(candidates)));
                way.setRevocationEnabled(false);
                way.setDate(token.getTimeStampInfo().getGenTime());
                CertPathBuilder.getInstance("PKIX").build(way);
            }
            return candidate;
        }
        throw new Records.Refused("no certificate of the signer");
    }

    private static X509Certificate converted(X509CertificateHolder holder) throws Exception {
        return new JcaX509CertificateConverter().getCertificate(holder);
    }
}
