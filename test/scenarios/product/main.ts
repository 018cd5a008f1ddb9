import { serveLaunched } from "../../../lib/plugin";
import { productProvider } from "./product-provider";

serveLaunched({ provider: productProvider, name: "product", version: "0.0.1", env: process.env });
