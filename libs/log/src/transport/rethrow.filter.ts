import { Catch, type ArgumentsHost, type RpcExceptionFilter, type ExceptionFilter } from '@nestjs/common';
import { throwError, type Observable } from 'rxjs';

/**
 * Lets the error of an event handler reach the transport as it was thrown; without it Nest replaces the error by a
 * plain object that does not tell whether to retry. In a hybrid application (`inheritAppConfig`) the global filters
 * serve HTTP as well, and of two that catch everything only the last registered is ever asked. So register this one
 * alone and give it the filter that answers HTTP: `app.useGlobalFilters(new RethrowFilter(new ProblemFilter()))`.
 */
@Catch()
export class RethrowFilter implements RpcExceptionFilter<unknown> {
  constructor(private readonly http: ExceptionFilter) {}

  catch(exception: unknown, host: ArgumentsHost): Observable<never> {
    if (host.getType() === 'rpc') return throwError(() => exception);
    return this.http.catch(exception, host) as Observable<never>;
  }
}
