import type { MessageState } from '@lettermill/events';
import type { MessageFilter } from './messages.store';

type Filters = Required<MessageFilter>;

/** An adapter's condition for each filter. None may be missing: that filter would be accepted and have no effect. */
export type Conditions<Condition, Name extends keyof Filters = keyof Filters> = {
  [One in Name]: (wanted: Filters[One]) => Condition;
};

/** The conditions of the filters that are set, by name. */
export function conditionsOf<Condition, Name extends keyof Filters>(
  filter: MessageFilter,
  conditions: Conditions<Condition, Name>,
): [name: Name, condition: Condition][] {
  return (Object.keys(conditions) as Name[]).flatMap((name) => {
    const wanted = filter[name] as Filters[Name] | undefined;
    return wanted === undefined ? [] : [[name, conditions[name](wanted)]];
  });
}

/** The state in which nearly all messages end. In the long run few are in any other state, however many a campaign has. */
const MOST_COMMON_STATE: MessageState = 'sent';

/** The filter that the fewest messages are likely to match: its index is walked, and the other conditions only filter. */
export function leadingOf(filter: MessageFilter) {
  const campaignFirst = filter.states === undefined || filter.states.includes(MOST_COMMON_STATE);
  const ranked = [
    ...(['externalMessageId', 'requestId', 'contact', 'reason'] as const),
    ...(campaignFirst ? (['campaign', 'states'] as const) : (['states', 'campaign'] as const)),
  ];
  return ranked.find((name) => filter[name] !== undefined);
}

/** Whether the search can only find the messages of one call, which are few: it does not wait for searches that read many messages. */
export function isNarrow(filter: MessageFilter): boolean {
  return filter.externalMessageId !== undefined || filter.requestId !== undefined;
}
