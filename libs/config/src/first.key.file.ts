/** File in `DATA_DIR` in which the embedded profile keeps the API key of its first start. */
export const FIRST_KEY_FILE = 'api-key';
