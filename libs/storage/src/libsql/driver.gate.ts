/** Places in the shared memory of a gate. */
const BUSY = 0;
const HALTED = 1;
/** The process ends soon after it began to: a query that takes longer than this is cut off. */
const HALT_TIMEOUT_MS = 500;

/**
 * Shared by a thread that uses the driver and the one that made it. When the process exits, Node breaks off what its threads run; the
 * driver, if it is met inside of one of its functions, then aborts the process instead.
 */
export class DriverGate {
  private readonly places: Int32Array;

  constructor(readonly memory = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.places = new Int32Array(memory);
  }

  /** Runs `work`, which uses the driver, in the thread that does; does not return once the gate is closed. */
  run<T>(work: () => T): T {
    Atomics.store(this.places, BUSY, 1);
    if (Atomics.load(this.places, HALTED) === 1) this.park();
    try {
      return work();
    } finally {
      this.leave();
    }
  }

  /** Lets nothing more begin. */
  close(): void {
    Atomics.store(this.places, HALTED, 1);
  }

  /** Waits until nothing runs, `ms` milliseconds at most. */
  wait(ms: number): void {
    Atomics.wait(this.places, BUSY, 1, ms);
  }

  private leave(): void {
    Atomics.store(this.places, BUSY, 0);
    Atomics.notify(this.places, BUSY);
  }

  /** Until the process has ended. */
  private park(): void {
    this.leave();
    Atomics.wait(this.places, HALTED, 1);
  }
}

const openGates = new Set<DriverGate>();

function closeAll(): void {
  const gates = [...openGates];
  gates.forEach((gate) => gate.close());
  const deadline = performance.now() + HALT_TIMEOUT_MS;
  for (const gate of gates) gate.wait(Math.max(0, deadline - performance.now()));
}

/** Closes the gate when the process exits. To be forgotten (`forgetGate`) when its thread has ended. */
export function closeGateAtExit(gate: DriverGate): void {
  if (openGates.size === 0) process.once('exit', closeAll);
  openGates.add(gate);
}

export function forgetGate(gate: DriverGate): void {
  openGates.delete(gate);
  if (openGates.size === 0) process.off('exit', closeAll);
}
