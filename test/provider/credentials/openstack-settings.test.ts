import { remarksOn } from "../../../lib/provider/credentials/openstack-settings";

const INSECURE =
  "certificate checks cannot be switched off, and stay on. Give the service's CA with OS_CACERT.";

test.each<{ ignored: string[]; insecure: string[]; remarks: string[] }>([
  { ignored: [], insecure: [], remarks: [] },
  { ignored: ["a"], insecure: [], remarks: ["a: no effect on token issuing."] },
  { ignored: ["a", "b"], insecure: [], remarks: ["a, b: no effect on token issuing."] },
  { ignored: [], insecure: ["c"], remarks: [`c: ${INSECURE}`] },
  {
    ignored: ["a"],
    insecure: ["c", "d"],
    remarks: [`c, d: ${INSECURE}`, "a: no effect on token issuing."],
  },
])("of $ignored, and $insecure that are insecure, is said $remarks", (given) => {
  expect(remarksOn(given.ignored, given.insecure, "OS_CACERT")).toEqual(given.remarks);
});
