/** The store can't take or give data now; nothing of the call is stored. */
export class StoreUnavailable extends Error {
  readonly code = 'store_unavailable';
  readonly retryable = true;
}

/** The store refused a statement: a defect of ours, not a matter of trying again. */
export class StoreFault extends Error {
  readonly code = 'store_fault';
  readonly retryable = false;
}

/** The driver can do nothing with the address it was given: it gets no better by another start. */
export class StoreAddressFault extends StoreFault {}
