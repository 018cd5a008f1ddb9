import { isExempt } from "../../../lib/identity/transport/no-proxy";

test.each([
  ["keystone.example.com", 443, "keystone.example.com"],
  ["keystone.example.com", 443, "example.com"],
  ["keystone.example.com", 443, ".example.com"],
  ["keystone.example.com", 443, "*.example.com"],
  ["example.com", 443, ".example.com"],
  ["KEYSTONE.Example.com", 443, "example.COM"],
  ["keystone.example.com.", 443, "example.com"],
  ["keystone.example.com", 443, "*"],
  ["keystone.example.com", 443, "a.test, b.test keystone.example.com"],
  ["keystone.example.com", 5000, "keystone.example.com:5000"],
  ["10.1.2.3", 443, "10.1.2.3"],
  ["10.1.2.3", 443, "10.0.0.0/8"],
  ["10.1.2.3", 5000, "10.1.2.3:5000"],
  ["[fd00::1]", 443, "fd00::1"],
  ["[fd00::1]", 443, "fd00:0:0::1"],
  ["[fd00::1]", 443, "fd00::/8"],
  ["[fd00::1]", 5000, "[fd00::1]:5000"],
])("%s port %d is exempt by %j", (host, port, list) => {
  expect(isExempt(host, port, list)).toBe(true);
});

test.each([
  ["keystone.example.com", 443, ""],
  ["keystone.example.com", 443, " , "],
  ["notexample.com", 443, "example.com"],
  ["example.com.evil.test", 443, "example.com"],
  ["example.com", 443, "keystone.example.com"],
  ["keystone.example.com", 443, "keystone.example.com:5000"],
  ["10.1.2.3", 443, "10.1.2"],
  ["10.1.2.3", 443, "2.3"],
  ["11.1.2.3", 443, "10.0.0.0/8"],
  ["10.1.2.3", 443, "10.0.0.0/99"],
  ["10.1.2.3", 443, "10.0.0.0/x"],
  ["10.1.2.3", 443, "fd00::/8"],
  ["10.1.2.3", 443, "example/8"],
  ["[fd00::1]", 5000, "[fd00::1]:443"],
  ["keystone.example.com", 443, "*.*"],
  ["keystone.example.com", 443, "."],
])("%s port %d is not exempt by %j", (host, port, list) => {
  expect(isExempt(host, port, list)).toBe(false);
});
