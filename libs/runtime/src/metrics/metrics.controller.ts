import { Controller, Get, Header } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { metricsContentType, metricsText } from './metrics';

@ApiTags('health')
@Controller('metrics')
export class MetricsController {
  @Get()
  @Header('content-type', metricsContentType)
  @ApiOperation({ summary: 'Figures in Prometheus text form' })
  metrics(): Promise<string> {
    return metricsText();
  }
}
