import { runService } from '@lettermill/runtime';
import { contactsService } from './contacts.service';

runService(contactsService);
