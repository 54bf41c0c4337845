/** The store cannot take or give data now. A write may have been carried out all the same, when only its answer was lost. */
export class StoreUnavailable extends Error {
  readonly code = 'store_unavailable';
  readonly retryable = true;
}

/** The store refused a statement: a defect of ours, which trying again does not help. */
export class StoreFault extends Error {
  readonly code = 'store_fault';
  readonly retryable = false;
}

/** The driver cannot use the address that it was given; another start does not help. */
export class StoreAddressFault extends StoreFault {}
