-- File operations by extension.
select extension, cast(sum(created + edited) as bigint) as operations
from file_changes
where extension <> ''
group by extension
