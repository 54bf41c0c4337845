import { Inject, Injectable } from '@nestjs/common';
import { BLOB_STORE, type BlobStore } from '@lettermill/blobs';
import { mediaTypeOf, type CampaignLaunch } from '@lettermill/contract';
import type { Address, AttachmentRef, Body, Details, OnUncertain, Priority } from '@lettermill/events';
import { validationFailed, type Fault } from '@lettermill/problems';
import { isMjml, sharedCompiler } from '@lettermill/templates';
import { Bodies } from '../bodies/bodies';
import type { CampaignContent } from './campaign';

type Attachment = NonNullable<CampaignLaunch['attachments']>[number];

function address(value: CampaignLaunch['from']): Address {
  return typeof value === 'string' ? { email: value } : value;
}

/** Brings a launch that was found right into the form that is kept: files and large texts in the blob store, for ever. */
@Injectable()
export class CampaignContents {
  constructor(
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
    private readonly bodies: Bodies,
  ) {}

  async keep(accountId: string, launch: CampaignLaunch): Promise<{ content: CampaignContent; compiled: Body | null }> {
    const { name, from, priority, on_uncertain, on_missing, valid_for, unsubscribe, attachments, ...details } = launch;
    const [message, files, compiled] = await Promise.all([
      this.message(accountId, details),
      Promise.all((attachments ?? []).map((file) => this.file(accountId, file))),
      this.compiled(accountId, details.html),
    ]);
    const content: CampaignContent = {
      name: name ?? null,
      from: address(from),
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

  private async message(
    accountId: string,
    launch: Omit<
      CampaignLaunch,
      'name' | 'from' | 'priority' | 'on_uncertain' | 'on_missing' | 'valid_for' | 'unsubscribe' | 'attachments'
    >,
  ): Promise<Details> {
    const { reply_to, cc, bcc, text, html, ...same } = launch;
    const details: Details = { ...same };
    if (reply_to !== undefined) details.reply_to = address(reply_to);
    if (cc) details.cc = cc.map(address);
    if (bcc) details.bcc = bcc.map(address);
    if (text !== undefined) details.text = await this.bodies.store(accountId, text, 'forever');
    if (html !== undefined) details.html = await this.bodies.store(accountId, html, 'forever');
    return details;
  }

  private async compiled(accountId: string, html: string | undefined): Promise<Body | null> {
    if (html === undefined || !isMjml(html)) return null;
    const compiled = await sharedCompiler().compile(html);
    if ('html' in compiled) return this.bodies.store(accountId, compiled.html, 'forever');
    const faults = compiled.faults.map(({ detail }): Fault => ({ pointer: '/html', code: 'template_invalid', detail }));
    throw validationFailed(faults);
  }

  private async file(accountId: string, { file_name, data, cid }: Attachment): Promise<AttachmentRef> {
    const { blob, size } = await this.blobs.put(accountId, Buffer.from(data, 'base64'), 'forever');
    const content_type = mediaTypeOf(file_name);
    return { blob, size, file_name, content_type, ...(cid !== undefined && { cid }) };
  }
}
