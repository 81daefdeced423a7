import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.tools.AclCommand;

/**
 * Plays calls of kafka-acls.sh in one Java machine; each by itself starts one, which takes seconds.
 *
 *     java -cp '/opt/kafka/libs/*' scripts/AclCommands.java FILE
 *
 * The file has an argument a line, and an empty line after each call. A call that fails ends the process with 1.
 */
class AclCommands {
    public static void main(String[] arguments) throws Exception {
        int count = 0;
        List<String> call = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            if (!line.isEmpty()) {
                call.add(line);
                continue;
            }
            AclCommand.main(call.toArray(new String[0]));
            call.clear();
            count++;
        }
        System.out.println(count + " calls");
    }
}
