// docs/product-areas.md, from the data.

import { tsImport } from "tsx/esm/api";

const { mayManage, PRODUCT_AREAS, TOKEN_KINDS } = await tsImport(
  "../../lib/tokens/index.ts",
  import.meta.url,
);

const row = (area) =>
  `| \`${area.toUpperCase()}\` | ${TOKEN_KINDS.map((kind) => mayManage(kind, area)).join(" | ")} |`;
export const areasPage = () => `# What each kind of token may manage

<!-- Made from lib/tokens/product-area.ts by \`npm run docs\`. -->

\`token.mayManage(area)\` answers from this table.
\`token.assertMayManage(area)\` refuses a **no** at synthesis, and warns of an **unknown**.
\`ProductAreas.tokenKindsFor(area)\` lists the kinds with a **yes**.

| \`ProductArea\` | ${TOKEN_KINDS.map((kind) => `\`${kind}\``).join(" | ")} |
|---|${TOKEN_KINDS.map(() => "---|").join("")}
${Object.keys(PRODUCT_AREAS).map(row).join("\n")}

- **yes**: the service's description says so.
- **no**: the service lists the area for the other IAM token only, or excludes it (OpenStack API objects, for the static token).
- **unknown**: the service lists the area for no IAM token, or does not say whether it is included.

An API that accepts neither kind of IAM token needs a static token.
`;
