import { oddityOf } from "../../lib/tokens";

test.each([
  ["op://ci/deployer/password", /1Password .*op run --/],
  ["ref+vault://secret/ci#/password", /vals exec/],
  ["vault:secret/data/ci#password", /vault-env/],
  ["ENC[AES256_GCM,data:canary,iv:x,tag:y,type:str]", /encrypted.*sops exec-env/],
  ["$ANSIBLE_VAULT;1.1;AES256\n3332", /ansible-vault view/],
  ["{{ password }}", /template/],
  ["{{resolve:secretsmanager:ci}}", /template/],
  ["$(osPassword)", /Azure Pipelines/],
  ["${SERVICE_USER_PASSWORD}", /protected/],
  ["${{ secrets.PASSWORD }}", /CI system/],
  ["$OS_PASSWORD", /protected/],
  ["%OS_PASSWORD%", /cmd\.exe/],
  ["***", /log of a CI system/],
  ["[MASKED]", /log of a CI system/],
  ["<password>", /placeholder/],
  ["'canary'", /quote.*docker/],
  ["canary\r", /white space/],
  ["canary   # the robot", /comment/],
])("%j is probably not what was meant, and is not repeated", (text, why) => {
  expect(oddityOf(text)).toMatch(why);
  expect(oddityOf(text)).not.toMatch(/canary|deployer|osPassword|SERVICE_USER/);
});

test.each([
  "op:/x",
  "$ecret",
  "pa$(ss",
  "a{{b}}",
  "<3",
  "50%",
  "**",
  "#1",
  "a#b",
  "vault:x",
  "ENC[",
])("%j may be a password", (text) => {
  expect(oddityOf(text)).toBeUndefined();
});
