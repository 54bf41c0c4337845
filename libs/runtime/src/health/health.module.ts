import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { Draining } from './draining';
import { HealthController } from './health.controller';

@Module({
  imports: [TerminusModule.forRoot({ logger: false, gracefulShutdownTimeoutMs: 0 })],
  controllers: [HealthController],
  providers: [Draining],
  exports: [Draining],
})
export class HealthModule {}
