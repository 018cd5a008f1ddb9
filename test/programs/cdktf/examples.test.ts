import { EXAMPLE_NAMES, expectAsPrinted, usesCdktf } from "../../scenarios/example-runs";
import { scenarios } from "../../scenarios/world";

scenarios("an example that starts the cdktf command line", (stage) => {
  test.each(EXAMPLE_NAMES.filter(usesCdktf))("%s: does as its README.md says", (name) =>
    expectAsPrinted(stage(), name),
  );
});
