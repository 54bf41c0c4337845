/** They only say where a line may break. In a text they would be in the way of who copies a code or an address. */
const BREAK_HINTS = /[\u00ad\u200b]/g;

export function withoutBreakHints(text: string): string {
  return text.replace(BREAK_HINTS, '');
}
