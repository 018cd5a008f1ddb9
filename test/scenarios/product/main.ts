import { serveLaunched } from "../../../lib/plugin/serve/serve-launched";
import { productProvider } from "./product-provider";

serveLaunched({ provider: productProvider, name: "product", version: "0.0.1", env: process.env });
