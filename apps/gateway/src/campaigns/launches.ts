import { Injectable } from '@nestjs/common';
import { Slots } from '@lettermill/concurrency';
import type { CampaignLaunch } from '@lettermill/contract';
import { Problem, validationFailed, type Fault } from '@lettermill/problems';
import type { AccountRequest, BodyRequest } from '@lettermill/runtime';
import { faultOfUrl, type FetchRefused } from '../attachments/fetch.refused';
import { isFetched, type FetchedDraft } from '../attachments/url.fetches';
import { UrlFiles } from '../attachments/url.files';
import { Forward } from '../owners/forward';
import type { OwnerAnswer } from '../owners/owner.client';
import { lacksOnlyFiles, launchSizeFaults, urlFilesOf, withFiles } from './launch.files';

/** Launches whose fetched files are in memory at a time. Each takes as much as one with 10 MiB of base64; until then they are drafts. */
const MAX_LAUNCHES_IN_MEMORY = 2;
const ROOM_TIMEOUT_MS = 10_000;

const noRoom = () =>
  new Problem(
    'no_room_for_body',
    'Other launches with fetched files are in progress, and none was finished in time.',
    [],
    {
      'retry-after': '5',
    },
  );

type LaunchCall = AccountRequest & BodyRequest;
type Outcomes = Map<string, FetchedDraft | FetchRefused>;

function refuseIf(faults: Fault[]): void {
  if (faults.length > 0) throw validationFailed(faults, 'changed');
}

/** Launches campaigns at the renderer, which goes nowhere else: files at addresses are fetched here. */
@Injectable()
export class Launches {
  private readonly inMemory = new Slots(MAX_LAUNCHES_IN_MEMORY);

  constructor(
    private readonly forward: Forward,
    private readonly urls: UrlFiles,
  ) {}

  /**
   * The renderer is asked with the body as it came. If that lacks nothing but the files at addresses, they are fetched, and it is asked again
   * with them: a launch that is refused anyway fetches nothing, as an address may be one that can be fetched only once.
   */
  async launch(request: LaunchCall): Promise<OwnerAnswer> {
    const answer = await this.forward.ask('renderer', request);
    const launch: unknown = request.body;
    if (!lacksOnlyFiles(answer, launch)) return answer;
    const outcomes = await this.fetchAll(request.accountId!, launch);
    try {
      refuseIf(faultsOf(launch, outcomes));
      const patience = AbortSignal.timeout(ROOM_TIMEOUT_MS);
      return await this.inMemory
        .run(() => this.launchWith(outcomes, launch, request), patience)
        .catch((error: unknown) => {
          throw error === patience.reason ? noRoom() : error;
        });
    } finally {
      await Promise.allSettled([...outcomes.values()].filter(isFetched).map(({ draft }) => draft.discard()));
    }
  }

  /** Fetches no file if one of the addresses may never be fetched. */
  private async fetchAll(accountId: string, launch: CampaignLaunch): Promise<Outcomes> {
    const files = urlFilesOf(launch);
    const refusals = files.map(({ pointer, address }) => ({ pointer, refused: this.urls.refusal(address) }));
    refuseIf(refusals.flatMap(({ pointer, refused }) => (refused ? [faultOfUrl(pointer, refused)] : [])));
    return this.urls.fetchAll(
      accountId,
      files.map(({ address }) => address),
    );
  }

  private async launchWith(outcomes: Outcomes, launch: CampaignLaunch, request: LaunchCall): Promise<OwnerAnswer> {
    const base64 = new Map<string, string>();
    for (const [address, fetched] of outcomes)
      if (isFetched(fetched)) base64.set(address, (await fetched.draft.read()).toString('base64'));
    const body = Buffer.from(JSON.stringify(withFiles(launch, (address) => base64.get(address)!)));
    return this.forward.ask('renderer', request, { method: request.method, path: request.url, body });
  }
}

/** Every file that could not be fetched, and the one that makes all of them too large. */
function faultsOf(launch: CampaignLaunch, outcomes: Outcomes): Fault[] {
  const failed = urlFilesOf(launch).flatMap(({ pointer, address }) => {
    const outcome = outcomes.get(address)!;
    return isFetched(outcome) ? [] : [faultOfUrl(pointer, outcome)];
  });
  const sizeOf = (address: string) => {
    const outcome = outcomes.get(address)!;
    return isFetched(outcome) ? outcome.draft.size : 0;
  };
  return [...failed, ...launchSizeFaults(launch, sizeOf)];
}
