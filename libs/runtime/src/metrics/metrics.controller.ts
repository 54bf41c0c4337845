import { Controller, Get, Header } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { metricsContentType, metricsText } from './metrics';

@ApiTags('health')
@Controller('metrics')
export class MetricsController {
  @Get()
  @Header('content-type', metricsContentType)
  @ApiOperation({ operationId: 'getMetrics', summary: 'Metrics in the Prometheus text format' })
  @ApiResponse({
    status: 200,
    description: 'Metrics in the Prometheus text format, version 0.0.4',
    content: { 'text/plain': { schema: { type: 'string' } } },
  })
  metrics(): Promise<string> {
    return metricsText();
  }
}
