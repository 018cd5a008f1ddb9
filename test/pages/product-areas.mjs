// docs/api/product-areas.md, from the data.

import { code, from, table } from "./markdown.mjs";

const { mayManage, PRODUCT_AREAS } = await from("tokens/product-area.ts");
const { TOKEN_KINDS } = await from("tokens/token-kind.ts");

const rowOf = (area) => [
  code(area.toUpperCase()),
  ...TOKEN_KINDS.map((kind) => mayManage(kind, area)),
];

export const areasPage = () => `# What each kind of token may manage

<!-- Made from lib/tokens/product-area.ts by \`npm run docs\`. -->

\`token.assertMayManage(area)\` refuses a **no** at synthesis, and warns of an **unknown**.

${table([code("ProductArea"), ...TOKEN_KINDS.map((kind) => code(kind))], Object.keys(PRODUCT_AREAS).map(rowOf))}

- **yes**: the service's description says so.
- **no**: the service lists the area for the other IAM token only, or excludes it (OpenStack API objects, for the static token).
- **unknown**: the service lists the area for no IAM token, or does not say whether it is included.

An API that accepts neither kind of IAM token needs a static token.
`;
