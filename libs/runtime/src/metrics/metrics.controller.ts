import { Controller, Get, Header } from '@nestjs/common';
import { metricsContentType, metricsText } from './metrics';

@Controller('metrics')
export class MetricsController {
  @Get()
  @Header('content-type', metricsContentType)
  metrics(): Promise<string> {
    return metricsText();
  }
}
