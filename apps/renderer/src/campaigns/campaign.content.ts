import { Inject, Injectable } from '@nestjs/common';
import { BLOB_STORE, type BlobStore } from '@lettermill/blobs';
import { emailAddressOf, inlineMediaType, type CampaignLaunch, type EmailMessageDetails } from '@lettermill/contract';
import { detailsOf, type AttachmentRef, type Body, type OnUncertain, type Priority } from '@lettermill/events';
import { validationFailed, type Fault } from '@lettermill/problems';
import { isMjml, sharedCompiler } from '@lettermill/templates';
import { Bodies } from '../bodies/bodies';
import type { CampaignContent } from './campaign';
import { isStored, type LaunchedFile } from './campaign.files';

/** Fields of a launch that are not content: they are read elsewhere, or not at all. */
type NonContentField = 'id' | 'slug' | 'version' | 'launched_at' | 'attachments';
/** The other fields of a launch. A field that `EmailMessageDetails` does not have, and that nothing below reads, is a type error. */
type DetailsOnly<T> = T & Record<Exclude<keyof T, keyof EmailMessageDetails>, never>;

/** Brings a valid launch into its stored form: files and large texts are kept in the blob store for ever. */
@Injectable()
export class CampaignContents {
  constructor(
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    private readonly bodies: Bodies,
  ) {}

  async store(
    accountId: string,
    launch: Omit<CampaignLaunch, NonContentField>,
    attachments: LaunchedFile[],
  ): Promise<{ content: CampaignContent; compiled: Body | null }> {
    const { name, from, priority, on_uncertain, on_missing, valid_for, unsubscribe, ...details } = launch;
    const messageDetails: DetailsOnly<typeof details> = details;
    const [message, files, compiled] = await Promise.all([
      detailsOf(messageDetails, (text) => this.bodies.store(accountId, text, 'forever')),
      Promise.all(attachments.map((file) => this.storeFile(accountId, file))),
      this.storeCompiled(accountId, details.html),
    ]);
    const content: CampaignContent = {
      name: name ?? null,
      from: emailAddressOf(from),
      priority: (priority ?? 'normal') as Priority,
      on_uncertain: (on_uncertain ?? 'retry') as OnUncertain,
      valid_for: valid_for ?? null,
      ...(on_missing === 'fail' && { on_missing }),
      ...(unsubscribe && { unsubscribe: 'one_click' as const }),
      message,
      attachments: files,
    };
    return { content, compiled };
  }

  private async storeCompiled(accountId: string, html: string | undefined): Promise<Body | null> {
    if (html === undefined || !isMjml(html)) return null;
    const compiled = await sharedCompiler().compile(accountId, html);
    if ('html' in compiled) return this.bodies.store(accountId, compiled.html, 'forever');
    const faults = compiled.faults.map(({ detail }): Fault => ({ pointer: '/html', code: 'template_invalid', detail }));
    throw validationFailed(faults, 'changed');
  }

  private async storeFile(accountId: string, file: LaunchedFile): Promise<AttachmentRef> {
    if (isStored(file)) return file;
    const { file_name, data, cid } = file;
    const { blob, size } = await this.blobs.put(accountId, Buffer.from(data, 'base64'), 'forever');
    const content_type = inlineMediaType(file_name, data);
    return { blob, size, file_name, content_type, ...(cid !== undefined && { cid }) };
  }
}
