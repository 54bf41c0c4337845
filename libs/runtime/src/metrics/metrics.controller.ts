import { Controller, Get, Header } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { metricsContentType, metricsText } from './metrics';

@ApiTags('health')
@Controller('metrics')
export class MetricsController {
  @Get()
  @Header('content-type', metricsContentType)
  @ApiOperation({ operationId: 'getMetrics', summary: 'Figures in Prometheus text form' })
  @ApiResponse({
    status: 200,
    description: 'Lines of Prometheus text, version 0.0.4',
    content: { 'text/plain': { schema: { type: 'string' } } },
  })
  metrics(): Promise<string> {
    return metricsText();
  }
}
