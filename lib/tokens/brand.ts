/**
 * Marks the objects of a class. A symbol instead of instanceof: two copies of the package in one
 * program, or two bundles of it, recognize each other's objects.
 */
export class Brand<Type extends object> {
  private readonly symbol: symbol;

  constructor(name: string) {
    this.symbol = Symbol.for(`cdktf-iam-tokens/${name}`);
  }

  putOn(object: Type): void {
    Object.defineProperty(object, this.symbol, { value: true });
  }

  isOn(value: unknown): value is Type {
    return typeof value === "object" && value !== null && this.symbol in value;
  }
}
