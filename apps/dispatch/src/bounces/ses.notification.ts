import { isObject, type Json } from '@lettermill/contract';
import { typedAddress } from './addresses';
import { feedbackKind } from './feedback.report';
import { MAX_RECIPIENTS } from './report';
import { statusIn, type RecipientStatus } from './status.report';

/** What Amazon SES says in a notification that SNS sends by mail: JSON in the text, without a machine-readable part. */
export interface SesNotification {
  kind: 'bounce' | 'delayed' | 'delivered' | 'complaint' | 'feedback';
  recipients: RecipientStatus[];
  originalMessageId: string | null;
}

const asObject = (value: unknown): Json => (isObject(value) ? value : {});
const asText = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 4000) : '');
const asList = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, MAX_RECIPIENTS) : []);

function parsedJson(text: string): Json | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The notification, alone or wrapped by SNS: as a string in another object. Mails may break its lines. */
function notificationIn(text: string): Json | undefined {
  const at = text.indexOf('{');
  if (at < 0 || at > 200 || !/"(?:notification|event)Type\\?"/.test(text.slice(at, at + 4000))) return undefined;
  const begun = text.slice(at, at + 100_000).split(/\r?\n(?=--\s|--\r?\n|\r?\n)/, 1)[0]!;
  const json = begun.slice(0, begun.lastIndexOf('}') + 1);
  const notification = parsedJson(json) ?? parsedJson(json.replace(/\r?\n/g, ''));
  const wrapped = notification?.Message;
  return typeof wrapped === 'string' ? parsedJson(wrapped) : notification;
}

function recipientOf(value: unknown, action: RecipientStatus['action']): RecipientStatus {
  const { emailAddress, status, diagnosticCode } = asObject(value);
  const diagnostic = asText(diagnosticCode).replace(/^\s*smtp\s*;\s*/i, '');
  const address = typedAddress(asText(emailAddress) || asText(value)) ?? null;
  return { address, action, status: statusIn(asText(status)), diagnostic };
}

function recipientsOf(values: unknown, action: RecipientStatus['action']): RecipientStatus[] {
  return asList(values).map((one) => recipientOf(one, action));
}

/** Subtypes of permanent bounces by which SES says that there is no such address; that of somebody who unsubscribed exists. */
const UNKNOWN_ADDRESS_SUBTYPES = new Set(['General', 'NoEmail', 'Suppressed', 'OnAccountSuppressionList']);
const UNKNOWN_MAILBOX_STATUS = '5.1.1';

const saysNothing = ({ status, diagnostic }: RecipientStatus) => status === null && diagnostic === '';

export function readSesNotification(text: string): SesNotification | undefined {
  const notification = notificationIn(text);
  const reported = notification && reportedBy(notification);
  if (!reported) return undefined;
  const mail = asObject(notification.mail);
  const id = asText(asObject(mail.commonHeaders).messageId) || asText(mail.messageId);
  return { ...reported, originalMessageId: id === '' ? null : id.replace(/^<?([^<>]*)>?$/, '<$1>') };
}

type Reported = Pick<SesNotification, 'kind' | 'recipients'>;

function reportedBy(notification: Json): Reported | undefined {
  switch (asText(notification.notificationType) || asText(notification.eventType)) {
    case 'Bounce':
      return bounceOf(asObject(notification.bounce));
    case 'Complaint': {
      const { complainedRecipients, complaintFeedbackType } = asObject(notification.complaint);
      const kind = feedbackKind(asText(complaintFeedbackType).toLowerCase() || 'abuse');
      return { kind, recipients: recipientsOf(complainedRecipients, 'failed') };
    }
    case 'DeliveryDelay': {
      const { delayedRecipients } = asObject(notification.deliveryDelay);
      return { kind: 'delayed', recipients: recipientsOf(delayedRecipients, 'delayed') };
    }
    case 'Delivery':
      return { kind: 'delivered', recipients: recipientsOf(asObject(notification.delivery).recipients, 'delivered') };
    default:
      return undefined;
  }
}

function bounceOf({ bouncedRecipients, bounceType, bounceSubType }: Json): Reported {
  const recipients = recipientsOf(bouncedRecipients, 'failed');
  // SES reports automatic replies in this way, too: a person who is out of office has the mail.
  const isAutoReply = bounceType === 'Transient' && bounceSubType === 'General' && recipients.every(saysNothing);
  if (isAutoReply) return { kind: 'delayed', recipients };
  // If SES passes on no reply of the refusing server, its own verdict is all there is.
  const hard = bounceType === 'Permanent' && UNKNOWN_ADDRESS_SUBTYPES.has(asText(bounceSubType));
  const withVerdict = recipients.map((one) =>
    hard && saysNothing(one) ? { ...one, status: UNKNOWN_MAILBOX_STATUS } : one,
  );
  return { kind: 'bounce', recipients: withVerdict };
}
