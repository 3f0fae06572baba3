import eu.europa.esig.dss.diagnostic.EvidenceRecordWrapper;
import eu.europa.esig.dss.diagnostic.TimestampWrapper;
import eu.europa.esig.dss.diagnostic.jaxb.XmlDigestMatcher;
import eu.europa.esig.dss.enumerations.DigestMatcherType;
import eu.europa.esig.dss.evidencerecord.asn1.validation.ASN1EvidenceRecord;
import eu.europa.esig.dss.evidencerecord.asn1.validation.ASN1EvidenceRecordValidator;
import eu.europa.esig.dss.evidencerecord.common.validation.ArchiveTimeStampChainObject;
import eu.europa.esig.dss.model.InMemoryDocument;
import eu.europa.esig.dss.simplereport.SimpleReport;
import eu.europa.esig.dss.spi.DSSUtils;
import eu.europa.esig.dss.spi.validation.CommonCertificateVerifier;
import eu.europa.esig.dss.spi.x509.CommonTrustedCertificateSource;
import eu.europa.esig.dss.validation.reports.Reports;
import java.util.List;

/**
 * DSS as a verifier. A record is valid if its hashes, links and signatures hold, under the pinned
 * certificate. What the default policy concludes, with revocation data from the tokens only, is the
 * remark: PASSED, or another indication and why.
 */
final class Dss implements Records.Verifier {
    @Override
    public String verify(byte[] record, byte[] data, byte[] certificate) throws Exception {
        CommonTrustedCertificateSource trusted = new CommonTrustedCertificateSource();
        trusted.addCertificate(DSSUtils.loadCertificate(certificate));
        CommonCertificateVerifier verifier = new CommonCertificateVerifier(); // nothing online
        verifier.setTrustedCertSources(trusted);
        ASN1EvidenceRecordValidator validator = new ASN1EvidenceRecordValidator(new InMemoryDocument(record));
        validator.setCertificateVerifier(verifier);
        validator.setDetachedContents(List.of(new InMemoryDocument(data, "data")));
        Reports reports = validator.validateDocument();

        EvidenceRecordWrapper result = reports.getDiagnosticData().getEvidenceRecords().get(0);
        demand("the record", result.getDigestMatchers(), DigestMatcherType.EVIDENCE_RECORD_ARCHIVE_OBJECT);
        List<TimestampWrapper> tokens = result.getTimestampList();
        int n = 0;
        ASN1EvidenceRecord parsed = (ASN1EvidenceRecord) validator.getDocumentAnalyzer().getEvidenceRecord();
        for (ArchiveTimeStampChainObject chain : parsed.getArchiveTimeStampSequence()) {
            for (int i = 0; i < chain.getArchiveTimeStamps().size(); i++, n++) {
                if (n >= tokens.size()) { // one that cannot be read is left out
                    throw new Records.Refused("token " + n + " is not there");
                }
                demandToken("token " + n, tokens.get(n));
                if (i > 0) {
                    demand("token " + n, tokens.get(n).getDigestMatchers(),
                            DigestMatcherType.EVIDENCE_RECORD_ARCHIVE_TIME_STAMP);
                } else if (n > 0) {
                    demand("token " + n, tokens.get(n).getDigestMatchers(),
                            DigestMatcherType.EVIDENCE_RECORD_ARCHIVE_OBJECT);
                }
            }
        }
        SimpleReport report = reports.getSimpleReport();
        Object why = report.getSubIndication(result.getId());
        return report.getIndication(result.getId()) + (why == null ? "" : " " + why);
    }

    /** demandToken demands that a token is signed, by a certificate of the pinned one. */
    private static void demandToken(String where, TimestampWrapper token) throws Records.Refused {
        if (!token.isSignatureIntact() || !token.isSignatureValid() || !token.isTrustedChain()) {
            throw new Records.Refused(String.format("%s: signature intact %b, valid %b, trusted %b", where,
                    token.isSignatureIntact(), token.isSignatureValid(), token.isTrustedChain()));
        }
        demand(where, token.getDigestMatchers(), DigestMatcherType.MESSAGE_IMPRINT);
    }

    /** demand demands that every hash of some type is found and intact, and that there is one. */
    private static void demand(String where, List<XmlDigestMatcher> matchers, DigestMatcherType type)
            throws Records.Refused {
        boolean found = false;
        for (XmlDigestMatcher matcher : matchers) {
            if (matcher.getType() == DigestMatcherType.EVIDENCE_RECORD_ORPHAN_REFERENCE) {
                continue; // a hash of other data, such as of an earlier token
            }
            if (!matcher.isDataFound() || !matcher.isDataIntact()) {
                throw new Records.Refused(String.format("%s: %s found %b, intact %b", where, matcher.getType(),
                        matcher.isDataFound(), matcher.isDataIntact()));
            }
            found |= matcher.getType() == type;
        }
        if (!found) {
            throw new Records.Refused(where + ": no " + type);
        }
    }
}
