import type { Fault } from '@lettermill/problems';
import { CampaignLaunch } from '../campaign.schema';
import { DomainSetup } from '../domain.schema';
import { walk } from './faults.walk';
import { KeyName } from '../key.schema';
import { Report } from './report';
import type { SchemaNode } from '../schema';
import { SendEmailRequest } from '../send.schema';
import { SuppressionCause } from '../suppression.schema';

const faultsBy =
  (schema: unknown) =>
  (value: unknown): Fault[] => {
    const report = new Report();
    walk(schema as SchemaNode, value, '', report);
    return report.faults;
  };

/**
 * Every broken rule of a send request and its recipients, in the order of the request; none exactly for the values
 * that `isSendRequest` accepts. At most `MAX_FOUND_FAULTS`. `value` is JSON as `readJson` returns it (64 levels at most).
 */
export const sendFaults = faultsBy(SendEmailRequest);
/** The same for the body of PUT /v2/campaigns/{slug}. */
export const campaignFaults = faultsBy(CampaignLaunch);
/** The same for the body of PUT /v2/domains/{domain}. */
export const domainSetupFaults = faultsBy(DomainSetup);
/** The same for the body of PUT /v2/suppressions/{address}. */
export const suppressionFaults = faultsBy(SuppressionCause);
/** The same for the body of POST /v2/keys. */
export const keyNameFaults = faultsBy(KeyName);
