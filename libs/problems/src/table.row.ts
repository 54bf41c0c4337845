/** One code of the error table. */
export interface Row {
  title: string;
  status: number;
  fix: string;
  /** Whether the same request may succeed later, unchanged. */
  retryable: boolean;
}

/** Returns the table unchanged, with its codes in its type. */
export const rows = <T extends Record<string, Row>>(table: T): T => table;
