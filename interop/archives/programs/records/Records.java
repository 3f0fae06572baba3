import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Security;
import org.bouncycastle.jce.provider.BouncyCastleProvider;

/**
 * Peers for evidence records (RFC 4998): Bouncy Castle and the DSS of the European Commission.
 *
 * <pre>
 *   make DIR                        Bouncy Castle makes records, in folders by their kind
 *   spoil DIR                       makes records whose beginning is wrong, and two right ones
 *   bc  RECORD FILE CERTIFICATE...  Bouncy Castle verifies records
 *   dss RECORD FILE CERTIFICATE...  DSS verifies records
 * </pre>
 *
 * A record is verified for a file with the certificate of an authority, in DER, that alone is
 * trusted. Any number of such triples is verified in one run: a line for each, "valid", or
 * "refused" and why. The exit status is 0 if all are valid, and 1 if one is not.
 */
final class Records {
    private Records() {}

    /** Verifier verifies a record, and returns a remark about a valid one. */
    interface Verifier {
        String verify(byte[] record, byte[] data, byte[] certificate) throws Exception;
    }

    /** Refused is thrown for a record that is not valid. */
    static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        Refused(String why) {
            super(why);
        }
    }

    public static void main(String[] args) throws Exception {
        Security.addProvider(new BouncyCastleProvider());
        String command = args.length > 0 ? args[0] : "";
        if (command.equals("make") && args.length == 2) {
            new Make(Path.of(args[1])).all();
        } else if (command.equals("spoil") && args.length == 2) {
            new Spoil(Path.of(args[1])).all();
        } else if (command.equals("bc") && args.length % 3 == 1 && args.length > 1) {
            System.exit(all(new BouncyCastle(), args));
        } else if (command.equals("dss") && args.length % 3 == 1 && args.length > 1) {
            System.exit(all(new Dss(), args));
        } else {
            System.err.println("make DIR, spoil DIR, bc RECORD FILE CERTIFICATE... or dss RECORD FILE CERTIFICATE...");
            System.exit(2);
        }
    }

    private static int all(Verifier verifier, String[] args) throws IOException {
        int exit = 0;
        for (int i = 1; i < args.length; i += 3) {
            byte[] record = Files.readAllBytes(Path.of(args[i]));
            byte[] data = Files.readAllBytes(Path.of(args[i + 1]));
            byte[] certificate = Files.readAllBytes(Path.of(args[i + 2]));
            String answer;
            try {
                answer = ("valid " + verifier.verify(record, data, certificate)).strip();
            } catch (Exception e) { // the libraries also throw unchecked ones
                answer = "refused " + reason(e);
                exit = 1;
            }
            System.out.println(answer);
        }
        return exit;
    }

    private static String reason(Throwable thrown) {
        StringBuilder all = new StringBuilder();
        for (Throwable t = thrown; t != null; t = t.getCause()) {
            String message = t instanceof Refused ? t.getMessage() : t.toString();
            all.append(all.length() > 0 ? ": " : "").append(message.replaceAll("\\s+", " "));
        }
        return all.toString();
    }
}
