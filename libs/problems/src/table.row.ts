/** One code of the error table. */
export interface Row {
  title: string;
  status: number;
  fix: string;
  /** Whether the same request may succeed later, unchanged. */
  retryable: boolean;
}

/** As it is given: the codes are its type. */
export const rows = <T extends Record<string, Row>>(table: T): T => table;
