import type { Field } from './fields';
import type { RecipientStatus } from './status.report';

/** What Amazon SES says in a notification that SNS sends by mail: JSON in the text, nothing for machines beside it. */
export interface SesNotification {
  kind: 'bounce' | 'delivered' | 'complaint';
  recipients: RecipientStatus[];
  original: Field[];
}

type Json = Record<string, unknown>;

const asObject = (value: unknown): Json =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Json) : {};
const asText = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 4000) : '');
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, 100) : []);

function notificationIn(text: string): Json | undefined {
  const at = text.indexOf('{');
  if (at < 0 || at > 200 || !/"(?:notification|event)Type"/.test(text.slice(at, at + 4000))) return undefined;
  const lines = text.slice(at, at + 100_000).split(/\r?\n(?=--\s|--\r?\n|\r?\n)/, 1);
  for (const json of [lines[0]!, lines[0]!.replace(/\r?\n/g, '')]) {
    try {
      return asObject(JSON.parse(json));
    } catch {
      // As it is wrapped or not: the other way is tried, then it is no notification.
    }
  }
  return undefined;
}

function recipientOf(value: unknown, action: RecipientStatus['action']): RecipientStatus {
  const { emailAddress, status, diagnosticCode } = asObject(value);
  const diagnostic = asText(diagnosticCode).replace(/^\s*smtp\s*;\s*/i, '');
  return { address: asText(emailAddress) || asText(value) || null, action, status: asText(status) || null, diagnostic };
}

export function readSesNotification(text: string): SesNotification | undefined {
  const notification = notificationIn(text);
  if (!notification) return undefined;
  const type = asText(notification.notificationType) || asText(notification.eventType);
  const mail = asObject(notification.mail);
  const id = asText(asObject(mail.commonHeaders).messageId) || asText(mail.messageId);
  const original: Field[] = id ? [['message-id', id]] : [];
  if (type === 'Bounce') {
    const { bouncedRecipients } = asObject(notification.bounce);
    return { kind: 'bounce', recipients: asList(bouncedRecipients).map((one) => recipientOf(one, 'failed')), original };
  }
  if (type === 'Complaint') {
    const { complainedRecipients } = asObject(notification.complaint);
    return {
      kind: 'complaint',
      recipients: asList(complainedRecipients).map((one) => recipientOf(one, 'failed')),
      original,
    };
  }
  if (type !== 'Delivery') return undefined;
  const { recipients } = asObject(notification.delivery);
  return { kind: 'delivered', recipients: asList(recipients).map((one) => recipientOf(one, 'delivered')), original };
}
