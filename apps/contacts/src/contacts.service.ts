import type { ServiceDefinition } from '@lettermill/runtime';
import { ContactsModule } from './contacts.module';
import { ReachWatch } from './reach/reach.watch';

export const contactsService: ServiceDefinition = {
  name: 'contacts',
  module: ContactsModule,
  beforeConsuming: (app, onFatal) => app.get(ReachWatch).begin(onFatal),
};
