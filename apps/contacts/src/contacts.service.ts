import type { ServiceDefinition } from '@lettermill/runtime';
import { ContactsModule } from './contacts.module';
import { PositionsWatch } from './positions/positions.watch';

export const contactsService: ServiceDefinition = {
  name: 'contacts',
  module: ContactsModule,
  beforeConsuming: (app, onFatal) => app.get(PositionsWatch).begin(onFatal),
};
