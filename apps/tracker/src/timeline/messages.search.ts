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
