import { runService } from '@lettermill/runtime';
import { ContactsModule } from './contacts.module';

runService({ name: 'contacts', module: ContactsModule });
