import java.io.File;
import java.nio.charset.StandardCharsets;
import org.deidentifier.arx.ARXAnonymizer;
import org.deidentifier.arx.ARXConfiguration;
import org.deidentifier.arx.ARXResult;
import org.deidentifier.arx.AttributeType;
import org.deidentifier.arx.AttributeType.Hierarchy;
import org.deidentifier.arx.Data;
import org.deidentifier.arx.criteria.EqualDistanceTCloseness;
import org.deidentifier.arx.criteria.KAnonymity;
import org.deidentifier.arx.metric.Metric;

/** Full-domain generalisation of a CSV file by ARX: TABLE DELIMITER HIERARCHIES SENSITIVE k t SUPPRESSED OUTPUT. */
public class FullDomain {
    public static void main(String[] given) throws Exception {
        char delimiter = given[1].charAt(0);
        String sensitive = given[3];
        Data data = Data.create(given[0], StandardCharsets.UTF_8, delimiter);
        for (int column = 0; column < data.getHandle().getNumColumns(); column++) {
            String name = data.getHandle().getAttributeName(column);
            File hierarchy = new File(given[2] + name + ".csv");
            if (name.equals(sensitive)) {
                data.getDefinition().setAttributeType(name, AttributeType.SENSITIVE_ATTRIBUTE);
            } else if (hierarchy.exists() && !name.equals("salary-class")) {
                Hierarchy tree = Hierarchy.create(hierarchy, StandardCharsets.UTF_8, delimiter);
                data.getDefinition().setAttributeType(name, AttributeType.QUASI_IDENTIFYING_ATTRIBUTE);
                data.getDefinition().setAttributeType(name, tree);
            } else {
                data.getDefinition().setAttributeType(name, AttributeType.IDENTIFYING_ATTRIBUTE);
            }
        }
        ARXConfiguration wanted = ARXConfiguration.create();
        wanted.addPrivacyModel(new KAnonymity(Integer.parseInt(given[4])));
        wanted.addPrivacyModel(new EqualDistanceTCloseness(sensitive, Double.parseDouble(given[5])));
        wanted.setSuppressionLimit(Double.parseDouble(given[6]));
        wanted.setQualityModel(Metric.createLossMetric());
        ARXResult result = new ARXAnonymizer().anonymize(data, wanted);
        if (!result.isResultAvailable()) {
            System.err.println("ARX found no release");
            System.exit(1);
        }
        result.getOutput(false).save(given[7], delimiter);
    }
}
