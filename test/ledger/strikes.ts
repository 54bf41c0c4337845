import { setTimeout as pause } from 'node:timers/promises';
import type { ServiceName } from '@lettermill/config';
import type { Cluster } from '../installations/cluster';

/** One process of a cluster. */
export interface Target {
  service: ServiceName;
  replica: number;
}

/** Something that happens to a process. */
export interface Strike {
  name: string;
  /** Resolves when the process is ready again. */
  carryOut(cluster: Cluster): Promise<void>;
}

const MAX_START_MS = 4_000;

/** Kills it, some while they start; ends it in order; or lets it stand still for one of these times. */
export function randomStrike(target: Target, freezes: number[]): Strike {
  const draw = Math.random();
  if (draw < 0.5) return killed(target, Math.random() < 0.3);
  return draw < 0.8 ? ended(target) : frozen(target, freezes[Math.floor(Math.random() * freezes.length)]!);
}

const nameOf = ({ service, replica }: Target) => `${service} ${replica + 1}`;

function killed(target: Target, twice: boolean): Strike {
  const { service, replica } = target;
  return {
    name: `${nameOf(target)} killed${twice ? ', and again while it starts' : ''}`,
    carryOut: async (cluster) => {
      await cluster.stopOne(service, 'SIGKILL', replica);
      cluster.startOne(service, replica);
      if (twice) {
        await pause(Math.random() * MAX_START_MS);
        await cluster.stopOne(service, 'SIGKILL', replica);
        cluster.startOne(service, replica);
      }
      await cluster.waitForOne(service, replica);
    },
  };
}

function ended(target: Target): Strike {
  const { service, replica } = target;
  return {
    name: `${nameOf(target)} ended`,
    carryOut: async (cluster) => {
      const code = await cluster.stopOne(service, 'SIGTERM', replica);
      if (code !== 0) throw new Error(`${nameOf(target)} ended with ${code} on SIGTERM`);
      cluster.startOne(service, replica);
      await cluster.waitForOne(service, replica);
    },
  };
}

function frozen(target: Target, ms: number): Strike {
  const { service, replica } = target;
  return {
    name: `${nameOf(target)} frozen for ${ms / 1000} s`,
    carryOut: async (cluster) => {
      await cluster.freezeOne(service, ms, replica);
      await cluster.waitForOne(service, replica);
    },
  };
}
