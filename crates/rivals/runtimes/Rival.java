// java Rival.java FOLDER ROUNDS SIZE...: src/runtimes.rs describes the arguments and the output
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

public class Rival {
    public static void main(String[] args) throws Exception {
        run(args, "encode", "URLEncoder", text -> URLEncoder.encode(text, StandardCharsets.UTF_8));
        run(args, "decode", "URLDecoder", text -> URLDecoder.decode(text, StandardCharsets.UTF_8));
    }

    static void run(String[] args, String op, String name, UnaryOperator<String> call) throws Exception {
        String folder = args[0];
        int rounds = Integer.parseInt(args[1]);
        for (String size : List.of(args).subList(2, args.length)) {
            List<String> inputs = Files.readAllLines(Path.of(folder, op + "-" + size + ".txt"));
            String output = inputs.stream().map(text -> call.apply(text) + "\n").collect(Collectors.joining());
            Files.writeString(Path.of(folder, "java-" + op + "-" + size + ".out"), output);
            double[] times = new double[rounds];
            long sink = 0;
            for (int round = -10; round < rounds; round++) { // the first rounds warm up the compiler
                long start = System.nanoTime();
                for (String text : inputs) {
                    sink += call.apply(text).length();
                }
                times[Math.max(round, 0)] = (double) (System.nanoTime() - start) / inputs.size();
            }
            Arrays.sort(times);
            String label = "Java " + System.getProperty("java.version") + " " + name;
            System.out.println(String.join("\t", "java", label, op, size, String.valueOf(times[rounds / 2])));
            if (sink == 0) {
                System.err.println("nothing came out");
            }
        }
    }
}
