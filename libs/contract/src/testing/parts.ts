/** Parts for requests that test one part each; the rest of such a request keeps the contract. */
export const x = (count: number) => 'x'.repeat(count);
export const CAMPAIGN = 'welcome';
export const TO = 'ada@example.com';
export const ID = 'A1b2C3d4E5f6G7h8I9';
const UUID = '0199F0C2-5d6e-7c1a-9b57-3f2a8f0c1d2e';
export const FILE = { attachment_type: 'file', file_name: 'a.txt', data: 'QQ==' };
export const LINK = { attachment_type: 'url', file_name: 'a.txt', data: 'https://example.com/a.txt' };
export const REF = { file_ref: UUID };

export const request = (more: object) => ({ campaign: CAMPAIGN, to: TO, ...more });
export const campaign = (value: unknown) => request({ campaign: value });
export const to = (value: unknown) => request({ to: value });
export const message = (more: object) => request({ message: more });
export const recipient = (more: object) => to({ contact_key: TO, ...more });
export const profile = (value: unknown) => request({ profile_data: value });
export const files = (...attachments: unknown[]) => request({ attachments });
export const file = (more: object) => files({ ...FILE, ...more });
export const link = (data: string) => files({ ...LINK, data });
export const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });
export const deepList = (levels: number): unknown => (levels === 0 ? 1 : [deepList(levels - 1)]);
export const addresses = (count: number) => Array.from({ length: count }, (_, i) => `p${i}@example.com`);
export const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`x-${i}`, i]));
/** Profile data whose compact JSON has this many bytes. */
export const sized = (bytes: number) => ({ a: x(bytes - '{"a":""}'.length) });
