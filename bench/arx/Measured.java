import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.DoubleFunction;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.DataType;
import org.deidentifier.arx.criteria.BasicBLikeness;
import org.deidentifier.arx.criteria.DDisclosurePrivacy;
import org.deidentifier.arx.criteria.DistinctLDiversity;
import org.deidentifier.arx.criteria.EnhancedBLikeness;
import org.deidentifier.arx.criteria.EntropyLDiversity;
import org.deidentifier.arx.criteria.EqualDistanceTCloseness;
import org.deidentifier.arx.criteria.HierarchicalDistanceTCloseness;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.criteria.OrderedDistanceTCloseness;
import org.deidentifier.arx.criteria.PrivacyCriterion;
import org.deidentifier.arx.criteria.RecursiveCLDiversity;

/**
 * The figures of a CSV file by ARX: TABLE QUASI SENSITIVE nominal|ordered|HIERARCHY.
 *
 * ARX judges and does not measure, so each figure is the threshold at which its judgement of the table as it is changes:
 * no column may be generalised, no row left out. Thresholds of more than 1,000,000 count as infinite.
 */
public class Measured {
    private static final double MOST = 1e6;
    private static String[] given;

    public static void main(String[] arguments) throws Exception {
        given = arguments;
        String s = given[2];
        show("k", largest(bound -> new KAnonymity((int) bound)));
        show("l", largest(bound -> new DistinctLDiversity(s, (int) bound)));
        show("entropy_l", least(bound -> new EntropyLDiversity(s, 1 + 1 / bound), 1e-9, true));
        show("recursive", least(bound -> new RecursiveCLDiversity(s, bound, 2), 1e-9, false));
        show("beta", least(bound -> new BasicBLikeness(s, bound), 1e-9, false));
        show("enhanced_beta", least(bound -> new EnhancedBLikeness(s, bound), 1e-9, false));
        show("delta", least(bound -> new DDisclosurePrivacy(s, bound), 1e-9, false));
        show("t", least(Measured::closeness, 1e-9, false));
    }

    private static PrivacyCriterion closeness(double bound) {
        double t = Math.min(bound, 1);
        if (given[3].equals("nominal")) return new EqualDistanceTCloseness(given[2], t);
        if (given[3].equals("ordered")) return new OrderedDistanceTCloseness(given[2], t);
        try {
            return new HierarchicalDistanceTCloseness(given[2], t, Hierarchy.create(given[3], StandardCharsets.UTF_8, ','));
        } catch (java.io.IOException problem) {
            throw new IllegalArgumentException(problem);
        }
    }

    private static void show(String name, double value) {
        System.out.println(name + " " + (Double.isInfinite(value) ? "inf" : String.format(Locale.ROOT, "%.9f", value)));
    }

    private static boolean holds(PrivacyCriterion wanted) throws Exception {
        Data data = Data.create(given[0], StandardCharsets.UTF_8, ',');
        Set<String> quasi = new HashSet<>(Arrays.asList(given[1].split(",")));
        for (int column = 0; column < data.getHandle().getNumColumns(); column++) {
            String name = data.getHandle().getAttributeName(column);
            boolean judged = name.equals(given[2]) && !(wanted instanceof KAnonymity);
            AttributeType type = judged ? AttributeType.SENSITIVE_ATTRIBUTE
                : quasi.contains(name) ? AttributeType.QUASI_IDENTIFYING_ATTRIBUTE : AttributeType.INSENSITIVE_ATTRIBUTE;
            data.getDefinition().setAttributeType(name, type);
        }
        if (given[3].equals("ordered")) data.getDefinition().setDataType(given[2], DataType.DECIMAL);
        ARXConfiguration configuration = ARXConfiguration.create();
        configuration.addPrivacyModel(wanted);
        if (!(wanted instanceof KAnonymity)) configuration.addPrivacyModel(new KAnonymity(1));
        configuration.setSuppressionLimit(0d);
        return new ARXAnonymizer().anonymize(data, configuration).isResultAvailable();
    }

    private static double largest(DoubleFunction<PrivacyCriterion> model) throws Exception {
        int low = 1;
        int high = 2;
        while (high < MOST && holds(model.apply(high))) {
            low = high;
            high *= 2;
        }
        while (high - low > 1) {
            int middle = (low + high) / 2;
            if (holds(model.apply(middle))) low = middle; else high = middle;
        }
        return low;
    }

    /** The least threshold that holds; where figures protect by being high, of x = 1/(figure - 1), and the figure is returned. */
    private static double least(DoubleFunction<PrivacyCriterion> model, double low, boolean turned) throws Exception {
        double high = 1;
        while (high < MOST && !holds(model.apply(high))) high *= 4;
        if (high >= MOST) return turned ? 1 : Double.POSITIVE_INFINITY;
        for (int step = 0; step < 34; step++) {
            double middle = (low + high) / 2;
            if (holds(model.apply(middle))) high = middle; else low = middle;
        }
        return turned ? 1 + 1 / high : high;
    }
}
