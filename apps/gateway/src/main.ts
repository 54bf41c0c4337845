import { runService } from '@lettermill/runtime';
import { gatewayService } from './gateway.service';

runService(gatewayService);
