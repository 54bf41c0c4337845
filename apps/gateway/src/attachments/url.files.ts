import { Inject, Injectable } from '@nestjs/common';
import { BLOB_STORE, type BlobStore } from '@lettermill/blobs';
import type { Config } from '@lettermill/config';
import { CONFIG } from '@lettermill/runtime';
import { VERSION } from '@lettermill/version';
import type { FetchRefused } from './fetch.refused';
import { HostAddresses } from './host.addresses';
import { UrlFetches, type FetchedDraft } from './url.fetches';
import { UrlSource } from './url.source';

/** The files at addresses that callers name. All calls share one policy, and the limits of an account. */
@Injectable()
export class UrlFiles {
  private readonly source: UrlSource;
  private readonly fetches: UrlFetches;

  constructor(@Inject(BLOB_STORE) blobs: BlobStore, @Inject(CONFIG) { attachmentFetchAllow: allow }: Config) {
    const hosts = new HostAddresses(allow.length > 0);
    this.source = new UrlSource(allow, `Lettermill/${VERSION}`, (host, signal) => hosts.lookUp(host, signal));
    this.fetches = new UrlFetches(this.source, blobs);
  }

  /** Why an address may never be fetched; found without asking anybody. */
  refusal(address: string): FetchRefused | undefined {
    return this.source.refusal(address);
  }

  /** Fetches the addresses of one request (`UrlFetches`). The caller must discard the drafts. */
  fetchAll(accountId: string, addresses: string[]): Promise<Map<string, FetchedDraft | FetchRefused>> {
    return this.fetches.fetchAll(accountId, addresses);
  }
}
