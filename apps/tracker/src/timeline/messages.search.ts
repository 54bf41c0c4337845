import type { MessageState } from '@lettermill/events';
import type { MessageFilter } from './messages.store';

type Filters = Required<MessageFilter>;

/** What an adapter asks of a message for each filter. None may be missing: it would be taken, and not obeyed. */
export type Conditions<Condition, Name extends keyof Filters = keyof Filters> = {
  [One in Name]: (wanted: Filters[One]) => Condition;
};

/** Of the filters that are set, by name. */
export function conditionsOf<Condition, Name extends keyof Filters>(
  filter: MessageFilter,
  conditions: Conditions<Condition, Name>,
): [name: Name, condition: Condition][] {
  return (Object.keys(conditions) as Name[]).flatMap((name) => {
    const wanted = filter[name] as Filters[Name] | undefined;
    return wanted === undefined ? [] : [[name, conditions[name](wanted)]];
  });
}

/** How nearly all messages end. Each other state has few in the long run, however many a campaign has. */
const COMMON: MessageState = 'sent';

/** The condition that the fewest messages fulfil, by what it asks for: its index is walked, all others only filter. */
export function leadingOf(filter: MessageFilter) {
  const campaignFirst = filter.states === undefined || filter.states.includes(COMMON);
  const ranked = [
    ...(['externalMessageId', 'requestId', 'contact', 'reason'] as const),
    ...(campaignFirst ? (['campaign', 'states'] as const) : (['states', 'campaign'] as const)),
  ];
  return ranked.find((name) => filter[name] !== undefined);
}

/** It finds what one call has asked for, which is little, whatever else there is: it waits for no search that goes along many. */
export function isNarrow(filter: MessageFilter): boolean {
  return filter.externalMessageId !== undefined || filter.requestId !== undefined;
}
