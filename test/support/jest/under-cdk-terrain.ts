// Set up before each file of the group `terrain-programs`: its projects are those of CDK Terrain.
process.env.IAM_TOKENS_TEST_FRAMEWORK = "cdktn";
